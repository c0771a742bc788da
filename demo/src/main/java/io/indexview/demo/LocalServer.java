package io.indexview.demo;

import io.indexview.cli.api.ServerFile;
import io.indexview.cli.api.ServerFile.OwnFile;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.local.LocalStack;
import io.indexview.local.StackConfig;
import io.indexview.local.StackException;
import io.indexview.local.pipeline.PipelineSpec;
import io.indexview.local.pipeline.RecordSetSpec;
import io.indexview.server.IndexviewServer;
import io.indexview.server.config.HttpKeys;
import io.indexview.server.config.ServerConfig;
import io.indexview.server.config.StoreKeys;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The REST server of a local stack; it ends with the stack. */
public final class LocalServer {
  private static final String PAGE_TOKEN_KEY = "page-token.key";
  private static final int KEY_BYTES = 32;

  private LocalServer() {}

  /**
   * Starts the server on loopback, and writes where it is into the stack's data directory. It takes
   * the port that it had before when that is free.
   *
   * @return its address
   * @throws StackException if it does not start
   */
  public static URI start(LocalStack stack, PipelineSpec spec) {
    Path data = stack.dataDirectory();
    try {
      IndexviewServer server = start(config(stack, spec), port(data));
      stack.attach(server);
      new ServerFile(
              server.address(),
              new ServerFile.S3(
                  stack.s3Url(),
                  StackConfig.REGION,
                  StackConfig.ACCESS_KEY,
                  StackConfig.SECRET_KEY,
                  stack.config().bucket()))
          .write(data);
      return server.address();
    } catch (IOException e) {
      throw new StackException("the server does not start: " + e.getMessage(), e);
    }
  }

  private static IndexviewServer start(Map<String, String> config, int port) throws IOException {
    Map<String, String> asBefore = new HashMap<>(config);
    asBefore.put(HttpKeys.HTTP_PORT_CONFIG, Integer.toString(port));
    try {
      return IndexviewServer.start(ServerConfig.parse(asBefore));
    } catch (IOException portTaken) {
      if (port == 0) {
        throw portTaken;
      }
      return start(config, 0);
    }
  }

  private static int port(Path data) {
    return ServerFile.read(data).map(file -> file.url().getPort()).orElse(0);
  }

  private static Map<String, String> config(LocalStack stack, PipelineSpec spec)
      throws IOException {
    Map<String, String> config = new HashMap<>();
    config.put(ServerConfig.BOOTSTRAP_SERVERS_CONFIG, stack.bootstrapServers());
    config.put("schema.registry.url", stack.registryUrl().toString());
    config.put(ServerConfig.TOPIC_PREFIX_CONFIG, stack.config().topics().prefix());
    config.put(ServerConfig.PAGE_TOKEN_KEY_CONFIG, pageTokenKey(stack.dataDirectory()));
    config.put(StoreKeys.KVSTORE_URI_CONFIG, stack.kvStoreUri());
    stack
        .config()
        .ownKvStore()
        .flatMap(KvStoreConfig::securityFile)
        .ifPresent(file -> config.put(StoreKeys.KVSTORE_SECURITY_FILE_CONFIG, file.toString()));
    config.put(StoreKeys.AWS_REGION_CONFIG, StackConfig.REGION);
    config.put(StoreKeys.AWS_ACCESS_KEY_ID_CONFIG, StackConfig.ACCESS_KEY);
    config.put(StoreKeys.AWS_SECRET_ACCESS_KEY_CONFIG, StackConfig.SECRET_KEY);
    config.put(StoreKeys.DYNAMODB_ENDPOINT_CONFIG, stack.dynamoDbUrl().toString());
    config.putAll(recordSets(spec));
    return config;
  }

  /**
   * Configuration of the record sets with their keys; the server learns their format from their
   * source.
   */
  static Map<String, String> recordSets(PipelineSpec spec) {
    Map<String, String> config = new HashMap<>();
    List<RecordSetSpec> sets = spec.recordSets();
    config.put(
        StoreKeys.RECORD_SETS_CONFIG,
        sets.stream().map(RecordSetSpec::name).collect(Collectors.joining(",")));
    for (RecordSetSpec set : sets) {
      config.put(StoreKeys.prefixKey(set.name()), set.prefix().toString());
      config.put(StoreKeys.minorsKey(set.name()), set.minorKeys());
    }
    return config;
  }

  /** Kept with the data: page tokens outlive a restart. */
  private static String pageTokenKey(Path data) throws IOException {
    Path file = data.resolve(PAGE_TOKEN_KEY);
    if (!Files.exists(file)) {
      byte[] key = new byte[KEY_BYTES];
      new SecureRandom().nextBytes(key);
      OwnFile.write(file, Base64.getEncoder().encode(key));
    }
    return Files.readString(file);
  }
}
