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
    if (e instanceof FaultException
        || e instanceof StaleStoreHandleException
        || e instanceof StoreIteratorException) {
      return new KvStoreException.Unavailable(
          "Store %s failed: %s".formatted(storeName, e.getMessage()), e);
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
                rootMessage(e),
                REMEDY),
        e);
  }

  /** By name: newer clients have classes for it that the one compiled against has not. */
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

  private static String rootMessage(Throwable e) {
    Throwable root = e;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root.getMessage();
  }
}
