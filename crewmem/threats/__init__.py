"""What hidden instructions and secrets look like in text: one scanner, used everywhere.

Pure: no file, no clock, no database. Nothing here is imported or compiled before
something is scanned.
"""
