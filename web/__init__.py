"""The parts that views of all areas share: requests, responses, errors, the OpenAPI document."""
