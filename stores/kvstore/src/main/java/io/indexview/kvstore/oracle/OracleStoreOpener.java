package io.indexview.kvstore.oracle;

import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.StoreOpener;

/** Where the adapter is entered from outside its class loader, by name. */
public final class OracleStoreOpener implements StoreOpener {
  @Override
  public KvStore open(String[] helperHosts, String storeName, KvStoreConfig config) {
    return OracleKvStore.open(helperHosts, storeName, config);
  }
}
