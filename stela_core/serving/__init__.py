"""What plugins for serving engines share: a server's variables, its requests' wishes, its running texts."""
