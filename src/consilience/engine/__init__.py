"""Data larger than memory: files of votes sorted by query, and engines that work through them.

Every number comes out as it does in memory. Nothing here knows a new method: queries are worked
through part by part, and what the rooms compute of each part is joined.
"""
