package io.indexview.kvstore.oracle;

import io.indexview.kvstore.KvStoreException;
import oracle.kv.FaultException;
import oracle.kv.KVSecurityException;
import oracle.kv.KVVersion;
import oracle.kv.ResourceLimitException;
import oracle.kv.StaleStoreHandleException;
import oracle.kv.StoreIteratorException;

/** What the client's exceptions mean to a caller. */
final class ClientErrors {
  private static final int MAX_REASON = 200;
  private static final String INCOMPATIBLE = "minimum required version";
  private static final String REMEDY =
      "Put kvclient.jar and the jars beside it, from the lib directory of the server's release, into"
          + " the plugin's lib directory, or on a class path before oracle-nosql-client-*.jar.";

  private final String storeName;

  ClientErrors(String storeName) {
    this.storeName = storeName;
  }

  /** The exception to throw instead; what is no failure of the store is returned as it is. */
  RuntimeException translate(RuntimeException e) {
    if (e instanceof KvStoreException) {
      return e;
    }
    if (mentions(e, INCOMPATIBLE)) {
      return incompatible(e);
    }
    if (e instanceof StoreIteratorException && e.getCause() instanceof RuntimeException cause) {
      return translate(cause);
    }
    if (e instanceof KVSecurityException) {
      return new KvStoreException.Misconfigured(
          "Store %s does not let this client in: %s. Check the user, its roles and the security file."
              .formatted(storeName, e.getMessage()),
          e);
    }
    if (e instanceof ResourceLimitException && isSizeLimit(e)) {
      return new KvStoreException.Refused(
          "Store %s refuses the record: %s".formatted(storeName, e.getMessage()), e);
    }
    if (e instanceof StaleStoreHandleException) {
      return new KvStoreException.Misconfigured(
          ("Store %s was made anew since it was opened. If it came from a backup, raise the"
                  + " incarnation wherever it is configured; then open it again. (%s)")
              .formatted(storeName, firstLine(e)),
          e);
    }
    if (e instanceof FaultException || e instanceof StoreIteratorException) {
      return new KvStoreException.Unavailable(
          "Store %s failed: %s".formatted(storeName, withReason(e)), e);
    }
    return e;
  }

  /** What opening may also throw: a name or address that the store does not have. */
  RuntimeException translateOpening(RuntimeException e) {
    if (e instanceof IllegalArgumentException) {
      return new KvStoreException.Misconfigured(
          "Store %s cannot be opened: %s".formatted(storeName, e.getMessage()), e);
    }
    return translate(e);
  }

  /** A library that the client needs is missing: the one compiled against comes without them. */
  KvStoreException incomplete(LinkageError e) {
    return new KvStoreException.Misconfigured(
        "The client for store %s lacks a library (%s). %s"
            .formatted(storeName, e.getMessage(), REMEDY),
        e);
  }

  private KvStoreException incompatible(RuntimeException e) {
    return new KvStoreException.Misconfigured(
        "Store %s needs a newer client than the %s on this class path (%s). %s"
            .formatted(
                storeName,
                KVVersion.CURRENT_VERSION.getNumericVersionString(),
                root(e).getMessage(),
                REMEDY),
        e);
  }

  /**
   * Compares class names: newer clients have exceptions for it that the one compiled against has
   * not.
   */
  private static boolean isSizeLimit(RuntimeException e) {
    String name = e.getClass().getSimpleName();
    return name.equals("KeySizeLimitException") || name.equals("ValueSizeLimitException");
  }

  private static boolean mentions(Throwable e, String text) {
    for (Throwable t = e; t != null; t = t.getCause()) {
      if (t.getMessage() != null && t.getMessage().contains(text)) {
        return true;
      }
    }
    return false;
  }

  /** The client's own message says that the request timed out; what stopped it is further down. */
  private static String withReason(Throwable e) {
    Throwable root = root(e);
    return root == e ? firstLine(e) : "%s (%s)".formatted(firstLine(e), firstLine(root));
  }

  private static String firstLine(Throwable e) {
    String line = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    return line.length() <= MAX_REASON ? line : line.substring(0, MAX_REASON) + "…";
  }

  /** The cause that has none itself. */
  static Throwable root(Throwable e) {
    Throwable root = e;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root;
  }
}
