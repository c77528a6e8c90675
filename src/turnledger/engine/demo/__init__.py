"""The demo: recorded conversations, run again by a scripted model and scripted tools through the recorder."""
