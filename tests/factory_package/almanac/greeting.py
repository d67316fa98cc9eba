"""A greeting in the words of its configuration, written with the base classes."""

from playground.tool import ConfigurableToolFactory, Definition, progress


class Greeting(Definition):
    def call(self, request):
        progress(1, 1, "greeting")
        return f"{self.word}, {request['name']}!"


class GreetingFactory(ConfigurableToolFactory):
    def tool_id(self):
        return "greeting"

    def create(self, configuration):
        greeting = Greeting(name="greeting", description="Greets somebody.")
        object.__setattr__(greeting, "word", configuration.get("word", "Hello"))
        return greeting


factory = GreetingFactory()
