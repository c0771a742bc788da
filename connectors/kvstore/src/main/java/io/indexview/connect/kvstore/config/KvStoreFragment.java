package io.indexview.connect.kvstore.config;

import static org.apache.kafka.common.config.ConfigDef.Range.atLeast;

import io.indexview.connect.common.config.ConfigFragment;
import io.indexview.connect.common.config.ConfigGroup;
import io.indexview.connect.common.config.ConfigProblems;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.KvValidators;
import io.indexview.kvstore.open.KvStores;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Type;

/** Which store, and how it is reached. */
public final class KvStoreFragment extends ConfigFragment {
  public static final String GROUP = "Connection";

  public static final String URI_CONFIG = "kvstore.uri";
  private static final String URI_DISPLAY = "Store address";
  private static final String URI_DOC =
      """
      embedded:/directory for the store in the worker's own process, \
      oracle://host:port,host:port/storename for Oracle NoSQL Database, remote://host:port for a \
      store that another process serves, for trials only.""";

  public static final String SECURITY_FILE_CONFIG = "kvstore.security.file";
  private static final String SECURITY_FILE_DISPLAY = "Login properties file";
  private static final String SECURITY_FILE_DOC =
      """
      Login properties file of the Oracle NoSQL client, on the worker's disk, for a secured store. \
      It names the wallet or password file, so that no secret is in the connector's \
      configuration.""";

  public static final String SERVER_JARS_CONFIG = "kvstore.server.jars";
  private static final String SERVER_JARS_DISPLAY = "Directory of the server's jars";
  private static final String SERVER_JARS_DOC =
      """
      Directory on the worker's disk with the jars of an Oracle NoSQL server's release, those of \
      its lib directory. With kvstore.jar and what it needs the changes of the store can be \
      followed. Not a directory of the plugin path: the jars have classes that would take the place \
      of the plugin's. Without it kvstore.jar is looked for beside kvclient.jar.""";

  public static final String TIMEOUT_CONFIG = "kvstore.request.timeout.ms";
  private static final long TIMEOUT_DEFAULT = 5_000;
  private static final String TIMEOUT_DISPLAY = "Request timeout (ms)";
  private static final String TIMEOUT_DOC =
      """
      How long one request may take. A request that took longer is tried again after a backoff; \
      the task stops no sooner than its request in flight.""";

  public static final String DURABILITY_CONFIG = "kvstore.durability";
  private static final String DURABILITY_DEFAULT = "sync";
  private static final String DURABILITY_DISPLAY = "Durability of writes";
  private static final String DURABILITY_DOC =
      """
      What a written row survives before its offset is committed. sync: it is on disk, with \
      replicas on those of a majority. write_no_sync: it is in the memory of a majority of \
      replicas; faster, but rows are lost for good if these go down together, so not for a store \
      of one node.""";

  private static final String EMBEDDED = "embedded:";
  private static final String ORACLE = "oracle://";

  public KvStoreFragment(AbstractConfig config) {
    super(config);
  }

  /** Defines the keys of connectors that read the store. */
  public static void update(ConfigDef definition) {
    updateBoth(definition);
    ConfigGroup.in(definition, GROUP)
        .optional(
            SERVER_JARS_CONFIG, Type.STRING, null, null, SERVER_JARS_DISPLAY, SERVER_JARS_DOC);
  }

  private static void updateBoth(ConfigDef definition) {
    ConfigGroup.in(definition, GROUP)
        .required(URI_CONFIG, Type.STRING, KvValidators.ADDRESS, URI_DISPLAY, URI_DOC)
        .optional(
            SECURITY_FILE_CONFIG, Type.STRING, null, null, SECURITY_FILE_DISPLAY, SECURITY_FILE_DOC)
        .tuning(
            TIMEOUT_CONFIG, Type.LONG, TIMEOUT_DEFAULT, atLeast(1), TIMEOUT_DISPLAY, TIMEOUT_DOC);
  }

  /** Defines the keys of connectors that write to the store. */
  public static void updateWriter(ConfigDef definition) {
    updateBoth(definition);
    ConfigGroup.in(definition, GROUP)
        .tuning(
            DURABILITY_CONFIG,
            Type.STRING,
            DURABILITY_DEFAULT,
            KvValidators.DURABILITY,
            DURABILITY_DISPLAY,
            DURABILITY_DOC);
  }

  @Override
  public void validate(ConfigProblems problems) {
    Optional<Path> file = path(SECURITY_FILE_CONFIG);
    Optional<Path> serverJars = path(SERVER_JARS_CONFIG);
    if (!isOracle()) {
      if (file.isPresent()) {
        refuse(SECURITY_FILE_CONFIG, problems);
      }
      if (serverJars.isPresent()) {
        refuse(SERVER_JARS_CONFIG, problems);
      }
      return;
    }
    if (file.isPresent() && !Files.isReadable(file.get())) {
      problems.add(
          SECURITY_FILE_CONFIG,
          "%s cannot be read on this worker; put the file on every worker".formatted(file.get()));
    }
    if (serverJars.isPresent() && !Files.isDirectory(serverJars.get())) {
      problems.add(
          SERVER_JARS_CONFIG,
          "%s is no directory on this worker; put the jars on every worker"
              .formatted(serverJars.get()));
    }
  }

  private void refuse(String key, ConfigProblems problems) {
    problems.add(
        key,
        "only stores of Oracle NoSQL Database take it, and %s=%s is another; leave it out"
            .formatted(URI_CONFIG, config().getString(URI_CONFIG)));
  }

  private boolean isOracle() {
    return config().getString(URI_CONFIG).startsWith(ORACLE);
  }

  /** What messages call the store. */
  public String described() {
    return "KV store " + config().getString(URI_CONFIG);
  }

  /** Whether the store lies in the worker's own process. */
  public boolean isEmbedded() {
    return config().getString(URI_CONFIG).startsWith(EMBEDDED);
  }

  /**
   * Opens the store.
   *
   * @throws io.indexview.kvstore.KvStoreException as {@link KvStores#open}
   */
  public KvStore open() {
    return KvStores.open(settings());
  }

  /** Opens the store for writes with the configured durability. */
  public KvStore openWriter() {
    String durability = config().getString(DURABILITY_CONFIG);
    return KvStores.open(settings().withDurability(KvValidators.DURABILITY.parse(durability)));
  }

  private KvStoreConfig settings() {
    KvStoreConfig store =
        KvStoreConfig.of(config().getString(URI_CONFIG)).withRequestTimeout(millis(TIMEOUT_CONFIG));
    KvStoreConfig secured = path(SECURITY_FILE_CONFIG).map(store::withSecurityFile).orElse(store);
    return path(SERVER_JARS_CONFIG).map(secured::withServerJars).orElse(secured);
  }

  /** Empty if nothing is set, or an empty text, or if the connector has no such key. */
  private Optional<Path> path(String key) {
    return Optional.ofNullable((String) config().values().get(key))
        .filter(path -> !path.isBlank())
        .map(Path::of);
  }
}
