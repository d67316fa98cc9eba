package com.javaaidev.easyllmtools.llmtoolspec;

public interface UnconfigurableToolFactory<Request, Response, T extends Tool<? super Request, ? extends Response>>
    extends ToolFactory {
  T create();
}
