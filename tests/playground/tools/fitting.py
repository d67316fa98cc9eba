"""Two tools whose ids have the same form in settings."""


class A:
    def tool_id(self):
        return "one tool"

    def create(self):
        return None


class B(A):
    def tool_id(self):
        return "one-tool"
