package io.indexview.schemas.registry;

/** What a schema registry refused or could not answer. */
public class RegistryException extends RuntimeException {
  public RegistryException(String message, Throwable cause) {
    super(message, cause);
  }

  /** No answer, or one that says "later": worth a retry. */
  public static final class Unavailable extends RegistryException {
    public Unavailable(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** No such id, subject or version. */
  public static final class NotFound extends RegistryException {
    public NotFound(String message) {
      super(message, null);
    }
  }

  /** The schema breaks the subject's compatibility rule. */
  public static final class Incompatible extends RegistryException {
    public Incompatible(String message) {
      super(message, null);
    }
  }
}
