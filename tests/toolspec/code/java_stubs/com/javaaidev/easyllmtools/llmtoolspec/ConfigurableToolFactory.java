package com.javaaidev.easyllmtools.llmtoolspec;

public interface ConfigurableToolFactory<Request, Response, T extends Tool<? super Request, ? extends Response>, Config>
    extends ToolFactory {
  T create(Config config);
}
