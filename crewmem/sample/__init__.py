"""The data of the sample crew; `transfer/sample.py` copies it into a home."""
