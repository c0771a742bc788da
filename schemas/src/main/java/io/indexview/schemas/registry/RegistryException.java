package io.indexview.schemas.registry;

/**
 * What a schema registry refused or could not answer.
 *
 * <p>{@link NotFound}, {@link Incompatible} and {@link Rejected} speak of the request: the same
 * request gets the same answer. {@link Unavailable} is worth a retry. An exception of this class
 * itself speaks of the set-up (address, credentials, permissions) and says nothing about the
 * request: it is for an operator, never a reason to drop a record.
 */
public class RegistryException extends RuntimeException {
  public RegistryException(String message, Throwable cause) {
    super(message, cause);
  }

  /**
   * Whether the registry could not be asked: it does not answer, or refuses whoever asks. Nothing
   * is known of the request then, and it is to be made again.
   */
  public boolean isOutage() {
    return true;
  }

  /** The registry did not answer, or asked to come back later: worth a retry. */
  public static final class Unavailable extends RegistryException {
    public Unavailable(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** The id, subject or version does not exist. */
  public static final class NotFound extends RegistryException {
    public NotFound(String message) {
      super(message, null);
    }

    @Override
    public boolean isOutage() {
      return false;
    }
  }

  /** The schema breaks the subject's compatibility rule. */
  public static final class Incompatible extends RegistryException {
    public Incompatible(String message) {
      super(message, null);
    }

    @Override
    public boolean isOutage() {
      return false;
    }
  }

  /** The schema or subject cannot be used at all: not valid, or not Avro. */
  public static final class Rejected extends RegistryException {
    public Rejected(String message, Throwable cause) {
      super(message, cause);
    }

    @Override
    public boolean isOutage() {
      return false;
    }
  }
}
