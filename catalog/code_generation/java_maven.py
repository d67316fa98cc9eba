"""The files around the Java sources of a tool: Maven's `pom.xml`, and the README."""

from __future__ import annotations

from typing import Final

from catalog.code_generation.java_names import artifact_id
from catalog.code_generation.java_text import markdown_block, markdown_code, xml_text
from catalog.code_generation.java_tool import JavaTool

_VERSIONS: Final = {
    "release": "17",
    "llm-tool-spec": "0.1.9",
    "jackson": "2.18.2",
    "junit": "5.11.4",
    "compiler-plugin": "3.13.0",
    "surefire-plugin": "3.2.5",
}
_MAX_FALLBACKS: Final = 50  # in the README


def pom(tool: JavaTool) -> str:
    return f"""\
<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0"
    xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
    xsi:schemaLocation="http://maven.apache.org/POM/4.0.0 http://maven.apache.org/xsd/maven-4.0.0.xsd">
  <modelVersion>4.0.0</modelVersion>

  <groupId>{tool.group}</groupId>
  <artifactId>{artifact_id(tool.spec.name)}</artifactId>
  <version>0.1.0-SNAPSHOT</version>
  <name>{xml_text(tool.spec.name)}</name>
  <description>{xml_text(tool.spec.description)}</description>

  <properties>
    <maven.compiler.release>{_VERSIONS["release"]}</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>

  <dependencies>
    <dependency>
      <groupId>com.javaaidev.easyllmtools</groupId>
      <artifactId>llm-tool-spec</artifactId>
      <version>{_VERSIONS["llm-tool-spec"]}</version>
    </dependency>
    <dependency>
      <groupId>com.fasterxml.jackson.core</groupId>
      <artifactId>jackson-databind</artifactId>
      <version>{_VERSIONS["jackson"]}</version>
    </dependency>
    <dependency>
      <groupId>org.junit.jupiter</groupId>
      <artifactId>junit-jupiter</artifactId>
      <version>{_VERSIONS["junit"]}</version>
      <scope>test</scope>
    </dependency>
  </dependencies>

  <build>
    <plugins>
      <plugin>
        <groupId>org.apache.maven.plugins</groupId>
        <artifactId>maven-compiler-plugin</artifactId>
        <version>{_VERSIONS["compiler-plugin"]}</version>
      </plugin>
      <plugin>
        <groupId>org.apache.maven.plugins</groupId>
        <artifactId>maven-surefire-plugin</artifactId>
        <version>{_VERSIONS["surefire-plugin"]}</version>
      </plugin>
    </plugins>
  </build>
</project>
"""


def readme(tool: JavaTool) -> str:
    name, path = tool.name, f"src/main/java/{tool.package.replace('.', '/')}"
    configuration = ""
    if tool.configuration:
        configuration = """
The test creates the tool with `src/test/resources/configuration.json`, a generated value. Replace it with one that
works, but do not put secrets there.
"""
    return f"""\
# {markdown_code(tool.spec.name)}

{markdown_block(tool.spec.description)}

This project was generated from `spec.json`, the spec of the tool. It needs Java {_VERSIONS["release"]} and Maven.

1. Write the method `call` in `{path}/{name}.java`.
2. Run `mvn verify`. The test calls the tool with the examples of the spec; it fails until the method is written.
3. Put the JAR from `target/` and its dependencies on the class path of the program that uses the tool. It finds
   `{name}Factory` by the file in `META-INF/services`.
{configuration}
`Abstract{name}.java` and the folder `model` come from the spec: generate them again when the spec changes. Change the
group and the package from `{tool.group}` to your own.
{_readme_fallbacks(tool)}"""


def _readme_fallbacks(tool: JavaTool) -> str:
    found = [fallback for types in tool.all_types for fallback in types.fallbacks]
    if not found:
        return ""
    lines = [
        f"- {markdown_code(fallback.pointer or '/')}: {fallback.reason}"
        for fallback in found[:_MAX_FALLBACKS]
    ]
    if len(found) > _MAX_FALLBACKS:
        lines.append(f"- {len(found) - _MAX_FALLBACKS:,} more")
    return "\n".join(
        [
            "",
            "## Schemas without a Java type",
            "",
            "Their values are of the type `JsonNode`.",
            "",
            *lines,
            "",
        ]
    )
