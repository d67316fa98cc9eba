package com.javaaidev.easyllmtools.llmtoolspec;

public interface ToolFactory {
  String toolId();
}
