package com.fasterxml.jackson.databind.json;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Type;

public class JsonMapper {
  public static Builder builder() {
    return new Builder();
  }

  public JavaType constructType(Type type) {
    return new JavaType();
  }

  public <T> T convertValue(Object value, JavaType type) throws IllegalArgumentException {
    return null;
  }

  public <T> T convertValue(Object value, TypeReference<T> type) throws IllegalArgumentException {
    return null;
  }

  public <T> T readValue(InputStream text, TypeReference<T> type) throws IOException {
    return null;
  }

  public JsonNode readTree(String text) throws IOException {
    return new JsonNode();
  }

  public String writeValueAsString(Object value) throws IOException {
    return "";
  }

  public static class Builder {
    public Builder enable(DeserializationFeature... features) {
      return this;
    }

    public JsonMapper build() {
      return new JsonMapper();
    }
  }
}
