from crewmem.text.repetition import MAX_COMPARED, SimilarTexts


def test_repeated_text_is_found_after_many_similar_ones():
    seen = SimilarTexts()
    texts = [f"Port {number} is that of the winch service." for number in range(3 * MAX_COMPARED)]

    assert all(map(seen.add, texts))
    assert not seen.add(texts[0])
    assert not seen.add("The port of the winch service is that: 299.")
