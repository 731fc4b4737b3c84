"""What several marks share: exponential draws and their law, Philox4x32-10, MT19937, two toolkits' hashes."""
