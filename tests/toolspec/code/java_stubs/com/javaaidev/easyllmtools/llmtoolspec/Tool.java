package com.javaaidev.easyllmtools.llmtoolspec;

import java.lang.reflect.Type;

public interface Tool<Request, Response> extends ToolDefinition {
  Type getRequestType();

  Response call(Request request);
}
