package com.javaaidev.easyllmtools.llmtoolspec;

public interface ToolDefinition {
  default String getId() {
    return getName();
  }

  String getName();

  String getDescription();

  default String getParametersSchema() {
    return "{}";
  }

  default String getReturnTypeSchema() {
    return "{}";
  }

  default String getExamples() {
    return "{}";
  }
}
