"""The examples of the OpenAPI document: bodies that were sent to a stand-in, and its answers.

Each module walks through some areas of the API, as a program would. `python -m dryline.tools.examples`
writes what came of it; a test walks the same way and looks whether the file still shows it.
"""
