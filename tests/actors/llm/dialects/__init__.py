"""Contract tests of each dialect against a peer that checks requests as its provider would."""
