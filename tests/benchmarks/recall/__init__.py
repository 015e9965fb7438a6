"""Retrieval by words on judged data sets, which are named and never shipped.

A set is a folder of ``corpus.jsonl`` (id, text, conversation) and ``queries.jsonl``
(id, text, conversation, relevant). Conversations know nothing of one another.
"""
