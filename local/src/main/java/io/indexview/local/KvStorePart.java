package io.indexview.local;

import io.indexview.kvstore.KvDurability;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.KvStoreException;
import io.indexview.kvstore.open.KvStores;
import io.indexview.kvstore.remote.KvStoreServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.Set;

/**
 * The embedded KV store; opened here so that it stays open while connectors come and go, and served
 * to other processes where that is asked for. Or one that is there already, which is only asked
 * whether it answers.
 */
final class KvStorePart implements Part {
  private final PartContext context;
  private KvStore store;
  private KvStore hasty;
  private KvStoreServer server;

  KvStorePart(PartContext context) {
    this.context = context;
  }

  @Override
  public PartName name() {
    return PartName.KV_STORE;
  }

  @Override
  public Set<PartName> needs() {
    return Set.of();
  }

  @Override
  public void start() throws IOException {
    Optional<KvStoreConfig> own = context.config().ownKvStore();
    if (own.isPresent()) {
      requireAnswer(own.get());
      return;
    }
    KvStoreConfig embedded = KvStoreConfig.of(embeddedUri());
    store = KvStores.open(embedded);
    if (context.config().kvStoreServed()) {
      hasty = KvStores.open(embedded.withDurability(KvDurability.WRITE_NO_SYNC));
      server =
          KvStoreServer.start(
              new InetSocketAddress(context.config().bind(), context.ports().of(PartName.KV_STORE)),
              durability -> durability == KvDurability.SYNC ? store : hasty);
    }
  }

  private static void requireAnswer(KvStoreConfig own) {
    try (KvStore opened = KvStores.open(own)) {
      opened.get(KvKey.ofMajor("-"));
    } catch (KvStoreException e) {
      throw new StackException(
          "the KV store %s cannot be used: %s".formatted(own.uri(), e.getMessage()), e);
    }
  }

  private String embeddedUri() {
    return "embedded:" + context.directory().of("kvstore");
  }

  @Override
  public String address() {
    Optional<KvStoreConfig> own = context.config().ownKvStore();
    if (own.isPresent()) {
      return own.get().uri();
    }
    return context.config().kvStoreServed()
        ? "remote://" + context.hostAndPort(PartName.KV_STORE)
        : embeddedUri();
  }

  @Override
  public void stop() {
    if (server != null) {
      server.close();
    }
    if (hasty != null) {
      hasty.close();
    }
    if (store != null) {
      store.close();
    }
  }
}
