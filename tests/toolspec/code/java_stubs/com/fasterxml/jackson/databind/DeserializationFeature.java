package com.fasterxml.jackson.databind;

public enum DeserializationFeature {
  USE_BIG_DECIMAL_FOR_FLOATS
}
