package io.indexview.kvstore;

/** Opens stores by their address. */
public final class KvStores {
  private KvStores() {}

  /** Opens with the defaults of {@link KvStoreConfig#of}. */
  public static KvStore open(String uri) {
    return open(KvStoreConfig.of(uri));
  }

  /**
   * @throws IllegalArgumentException if the address is not one of the two forms
   * @throws KvStoreException if the store cannot be opened; Unavailable if it may come up later
   */
  public static KvStore open(KvStoreConfig config) {
    throw new UnsupportedOperationException("not built yet: " + config.uri());
  }
}
