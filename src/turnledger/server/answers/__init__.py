"""What the API answers: one class per JSON object, in camelCase; its fields are the contract."""
