"""The API's resources, one module per kind: each route names who may ask, asks, and answers."""
