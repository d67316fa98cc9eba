package com.fasterxml.jackson.databind;

import java.util.Iterator;
import java.util.List;

public class JsonNode implements Iterable<JsonNode> {
  public boolean has(String member) {
    return false;
  }

  public JsonNode get(String member) {
    return this;
  }

  public JsonNode path(String member) {
    return this;
  }

  public String asText(String otherwise) {
    return otherwise;
  }

  @Override
  public Iterator<JsonNode> iterator() {
    return List.<JsonNode>of().iterator();
  }
}
