class Factory:
    def tool_id(self):
        return "create-none"

    def create(self):
        return None
