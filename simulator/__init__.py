"""Makes believable calls and chats, and the recordings of calls."""
