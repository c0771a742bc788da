package io.indexview.kvstore.oracle;

import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.KvStoreException;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import oracle.kv.Consistency;
import oracle.kv.KVSecurityConstants;
import oracle.kv.KVStore;
import oracle.kv.KVStoreFactory;
import oracle.kv.Key;

/** Opens the client's handle. */
final class Connection {
  /** The client wants the socket's timeout above the request's. */
  private static final Duration SOCKET_MARGIN = Duration.ofSeconds(25);

  /** What the client takes without being configured. */
  private static final Duration MAX_REGISTRY_TIMEOUT = Duration.ofSeconds(5);

  /** Paths in the security file are relative to it. */
  private static final List<String> FILE_PROPERTIES =
      List.of(
          KVSecurityConstants.SSL_TRUSTSTORE_FILE_PROPERTY,
          KVSecurityConstants.AUTH_WALLET_PROPERTY,
          KVSecurityConstants.AUTH_PWDFILE_PROPERTY);

  private static final Key ANY_KEY = Key.createKey("-");

  private Connection() {}

  static KVStore open(
      String[] helperHosts, String storeName, KvStoreConfig config, ClientErrors errors) {
    try {
      KVStore store = KVStoreFactory.getStore(clientConfig(helperHosts, storeName, config));
      requireAnswer(store);
      return store;
    } catch (RuntimeException e) {
      throw errors.translateOpening(e);
    } catch (LinkageError e) {
      throw errors.incomplete(e);
    }
  }

  /** A client that is too old or not let in learns so from its first request only. */
  private static void requireAnswer(KVStore store) {
    boolean answered = false;
    try {
      store.get(ANY_KEY, Consistency.NONE_REQUIRED, 0, null);
      answered = true;
    } finally {
      if (!answered) {
        store.close();
      }
    }
  }

  private static oracle.kv.KVStoreConfig clientConfig(
      String[] helperHosts, String storeName, KvStoreConfig config) {
    long timeout = config.requestTimeout().toMillis();
    long socketTimeout = config.requestTimeout().plus(SOCKET_MARGIN).toMillis();
    // Opening asks every node of a helper host in turn, also those that hang.
    long registryTimeout = Math.min(timeout, MAX_REGISTRY_TIMEOUT.toMillis());
    oracle.kv.KVStoreConfig client =
        new oracle.kv.KVStoreConfig(
            storeName, Helpers.reachable(helperHosts, Duration.ofMillis(registryTimeout)));
    client.setSocketReadTimeout(socketTimeout, TimeUnit.MILLISECONDS);
    client.setRequestTimeout(timeout, TimeUnit.MILLISECONDS);
    client.setRegistryOpenTimeout(registryTimeout, TimeUnit.MILLISECONDS);
    client.setRegistryReadTimeout(registryTimeout, TimeUnit.MILLISECONDS);
    client.setConsistency(Consistency.ABSOLUTE);
    client.setDurability(Translation.durability(config.durability()));
    config.securityFile().ifPresent(file -> client.setSecurityProperties(security(file)));
    return client;
  }

  private static Properties security(Path file) {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      properties.load(reader);
    } catch (IOException | IllegalArgumentException e) {
      throw new KvStoreException.Misconfigured(
          "The security file %s cannot be read: %s.".formatted(file, e), e);
    }
    for (String name : FILE_PROPERTIES) {
      String value = properties.getProperty(name);
      if (value != null) {
        properties.setProperty(name, file.toAbsolutePath().resolveSibling(value).toString());
      }
    }
    return properties;
  }
}
