package org.junit.jupiter.api;

public class Assertions {
  public static void assertTrue(boolean condition) {}

  public static void assertEquals(Object expected, Object actual) {}

  public static void assertEquals(Object expected, Object actual, String message) {}
}
