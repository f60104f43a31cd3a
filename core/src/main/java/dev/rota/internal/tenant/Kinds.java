package dev.rota.internal.tenant;

/** The form of kinds, for parts outside this package. */
public final class Kinds {

  private Kinds() {}

  /** Refuses a malformed kind with an {@link IllegalArgumentException}. */
  public static void check(String kind) {
    TaskValidator.checkKind(kind);
  }
}
