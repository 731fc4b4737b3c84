"""What plugins of engines share: settings, wishes, records, running texts."""
