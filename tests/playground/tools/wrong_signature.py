class Factory:
    def tool_id(self):
        return "wrong-signature"

    def create(self, first, second):
        raise AssertionError("never called")
