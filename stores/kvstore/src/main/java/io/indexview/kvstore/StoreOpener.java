package io.indexview.kvstore;

/** What an adapter that is loaded apart is asked for. */
@FunctionalInterface
public interface StoreOpener {
  /**
   * @param helperHosts {@code host:port} of some of the store's nodes
   * @throws KvStoreException if the store cannot be opened; Unavailable if it may come up later
   */
  KvStore open(String[] helperHosts, String storeName, KvStoreConfig config);
}
