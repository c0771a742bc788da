package io.indexview.server.config;

import io.indexview.client.write.WriterConfig;
import io.indexview.dynamodb.DynamoDbSettings;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvKeySet;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.KvValidators;
import io.indexview.schemas.config.ConfigKeys;
import io.indexview.schemas.config.Validators.HttpAddress;
import io.indexview.schemas.config.Validators.MatchesPattern;
import io.indexview.views.definition.Target;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.ValidList;
import org.apache.kafka.common.config.types.Password;

/** The keys of the stores: where views and primary records are. */
public final class StoreKeys {
  public static final String KVSTORE_URI_CONFIG = "kvstore.uri";
  private static final String KVSTORE_URI_DOC =
      "The KV store: embedded:/directory in the server's own process, oracle://host:port,host:port/"
          + "storename for Oracle NoSQL Database, remote://host:port for a store that another"
          + " process serves, for trials only. Without it neither views nor records in a KV"
          + " store can be used.";

  public static final String KVSTORE_SECURITY_FILE_CONFIG = "kvstore.security.file";
  private static final String KVSTORE_SECURITY_FILE_DOC =
      "Login properties file of the Oracle NoSQL client, for a secured store.";

  public static final String KVSTORE_TIMEOUT_CONFIG = "kvstore.request.timeout.ms";
  private static final long KVSTORE_TIMEOUT_DEFAULT = 5_000;
  private static final String KVSTORE_TIMEOUT_DOC =
      "How long one request to the KV store may take. Clients are asked to come back when it took"
          + " longer.";

  public static final String KVSTORE_DURABILITY_CONFIG = "kvstore.durability";
  private static final String KVSTORE_DURABILITY_DEFAULT = "sync";
  private static final String KVSTORE_DURABILITY_DOC =
      "What a primary record survives once the server has answered its write. sync: it is on disk,"
          + " with replicas on those of a majority. write_no_sync: it is in the memory of a majority"
          + " of replicas; faster, but records are lost for good if these go down together, so not"
          + " for a store of one node.";

  public static final String INCARNATION_CONFIG = "kvstore.incarnation";
  private static final String INCARNATION_DOC =
      "Incarnation of the KV store, as its source connector has it.";

  public static final String META_PREFIXES_CONFIG = "kvstore.meta.prefixes";
  private static final String META_PREFIXES_DOC =
      "First key components of the views' metadata in the KV store: every metaPrefix that a"
          + " definition has.";

  public static final String RECORD_SETS_CONFIG = "record.sets";
  private static final String RECORD_SETS_DOC =
      "Names of the record sets whose records the server reads and writes in the KV store,"
          + " comma-separated; each needs record.set.<name>.prefix.";

  private static final String SET_PREFIX = "record.set.";
  private static final String PREFIX_DOC =
      "Leading major components of the record set's keys, as its source connector has them:"
          + " /Corporate/people.";
  private static final String MINORS_DOC =
      "Minor paths of the record set's keys, comma-separated, as its source connector has them:"
          + " /-/contact,/-/keys/public; /- stands for keys without a minor path. Empty: all. Keys"
          + " with others are neither read nor written nor removed as this record set's.";

  public static final String AWS_REGION_CONFIG = "aws.region";
  private static final String AWS_REGION_DOC =
      "Region of DynamoDB, for instance eu-central-1; needed also beside dynamodb.endpoint."
          + " Without it views in DynamoDB cannot be read.";

  public static final String DYNAMODB_ENDPOINT_CONFIG = "dynamodb.endpoint";
  private static final String DYNAMODB_ENDPOINT_DOC =
      "Address of a server that speaks the API of DynamoDB. Without one it is the region's own.";

  public static final String AWS_ACCESS_KEY_ID_CONFIG = "aws.access.key.id";
  private static final String AWS_ACCESS_KEY_ID_DOC =
      "Access key to sign requests with. Without one the AWS SDK looks for credentials itself.";

  public static final String AWS_SECRET_ACCESS_KEY_CONFIG = "aws.secret.access.key";
  private static final String AWS_SECRET_ACCESS_KEY_DOC = "The access key's secret.";

  public static final String AWS_SESSION_TOKEN_CONFIG = "aws.session.token";
  private static final String AWS_SESSION_TOKEN_DOC =
      "What temporary keys come with, beside the two above. They are not renewed.";

  private final AbstractConfig config;

  StoreKeys(AbstractConfig config) {
    this.config = config;
  }

  static void define(ConfigDef definition) {
    ConfigKeys keys = new ConfigKeys(definition, "Stores");
    defineKvStore(keys);
    defineDynamoDb(keys);
  }

  private static void defineKvStore(ConfigKeys keys) {
    keys.add(
        KVSTORE_URI_CONFIG,
        Type.STRING,
        null,
        KvValidators.ADDRESS,
        Importance.HIGH,
        KVSTORE_URI_DOC);
    keys.add(
        KVSTORE_SECURITY_FILE_CONFIG,
        Type.STRING,
        null,
        Checks.READABLE_FILE,
        Importance.MEDIUM,
        KVSTORE_SECURITY_FILE_DOC);
    keys.add(
        KVSTORE_TIMEOUT_CONFIG,
        Type.LONG,
        KVSTORE_TIMEOUT_DEFAULT,
        ConfigDef.Range.atLeast(1),
        Importance.LOW,
        KVSTORE_TIMEOUT_DOC);
    keys.add(
        KVSTORE_DURABILITY_CONFIG,
        Type.STRING,
        KVSTORE_DURABILITY_DEFAULT,
        KvValidators.DURABILITY,
        Importance.LOW,
        KVSTORE_DURABILITY_DOC);
    keys.add(
        INCARNATION_CONFIG,
        Type.STRING,
        WriterConfig.DEFAULT_INCARNATION,
        KvValidators.INCARNATION,
        Importance.LOW,
        INCARNATION_DOC);
    keys.add(
        META_PREFIXES_CONFIG,
        Type.LIST,
        List.of(Target.Kv.DEFAULT_META_PREFIX),
        ValidList.anyNonDuplicateValues(false, false),
        Importance.LOW,
        META_PREFIXES_DOC);
    keys.add(
        RECORD_SETS_CONFIG,
        Type.LIST,
        List.of(),
        ValidList.anyNonDuplicateValues(true, false),
        Importance.MEDIUM,
        RECORD_SETS_DOC);
  }

  private static void defineDynamoDb(ConfigKeys keys) {
    keys.add(
        AWS_REGION_CONFIG,
        Type.STRING,
        null,
        MatchesPattern.AWS_REGION,
        Importance.HIGH,
        AWS_REGION_DOC);
    keys.add(
        DYNAMODB_ENDPOINT_CONFIG,
        Type.STRING,
        null,
        new HttpAddress(),
        Importance.MEDIUM,
        DYNAMODB_ENDPOINT_DOC);
    keys.add(
        AWS_ACCESS_KEY_ID_CONFIG,
        Type.STRING,
        null,
        null,
        Importance.MEDIUM,
        AWS_ACCESS_KEY_ID_DOC);
    keys.add(
        AWS_SECRET_ACCESS_KEY_CONFIG,
        Type.PASSWORD,
        null,
        null,
        Importance.MEDIUM,
        AWS_SECRET_ACCESS_KEY_DOC);
    keys.add(
        AWS_SESSION_TOKEN_CONFIG,
        Type.PASSWORD,
        null,
        null,
        Importance.MEDIUM,
        AWS_SESSION_TOKEN_DOC);
  }

  /** Key of one record set's prefix. */
  public static String prefixKey(String recordSet) {
    return SET_PREFIX + recordSet + ".prefix";
  }

  /** Key of one record set's minor paths. */
  public static String minorsKey(String recordSet) {
    return SET_PREFIX + recordSet + ".minor.keys";
  }

  /** The keys of a record set that {@value #RECORD_SETS_CONFIG} names. */
  static void defineRecordSet(ConfigDef definition, String name) {
    ConfigKeys keys = new ConfigKeys(definition, "Record set " + name);
    keys.add(
        prefixKey(name),
        Type.STRING,
        ConfigDef.NO_DEFAULT_VALUE,
        KvValidators.PREFIX,
        Importance.HIGH,
        PREFIX_DOC);
    keys.add(
        minorsKey(name), Type.LIST, List.of(), KvValidators.MINORS, Importance.MEDIUM, MINORS_DOC);
  }

  /** The keys of each record set that is written here, by its name. */
  public Map<String, KvKeySet> recordSets() {
    Map<String, KvKeySet> sets = new LinkedHashMap<>();
    for (String name : config.getList(RECORD_SETS_CONFIG)) {
      KvKey prefix = KvKey.fromString(config.getString(prefixKey(name)));
      sets.put(name, KvKeySet.of(prefix, config.getList(minorsKey(name))));
    }
    return sets;
  }

  public List<String> metaPrefixes() {
    return config.getList(META_PREFIXES_CONFIG);
  }

  public String incarnation() {
    return config.getString(INCARNATION_CONFIG);
  }

  /** Empty: there is no KV store. */
  public Optional<KvStoreConfig> kvStore() {
    return Optional.ofNullable(config.getString(KVSTORE_URI_CONFIG)).map(this::kvStore);
  }

  private KvStoreConfig kvStore(String uri) {
    String durability = config.getString(KVSTORE_DURABILITY_CONFIG);
    KvStoreConfig store =
        KvStoreConfig.of(uri)
            .withRequestTimeout(Duration.ofMillis(config.getLong(KVSTORE_TIMEOUT_CONFIG)))
            .withDurability(KvValidators.DURABILITY.parse(durability));
    String file = config.getString(KVSTORE_SECURITY_FILE_CONFIG);
    return file == null ? store : store.withSecurityFile(Path.of(file));
  }

  /** Empty: there is no DynamoDB. */
  public Optional<DynamoDbSettings> dynamoDb() {
    String endpoint = config.getString(DYNAMODB_ENDPOINT_CONFIG);
    return Optional.ofNullable(config.getString(AWS_REGION_CONFIG))
        .map(
            region ->
                new DynamoDbSettings(
                    region,
                    endpoint == null ? null : URI.create(endpoint),
                    config.getString(AWS_ACCESS_KEY_ID_CONFIG),
                    secret(AWS_SECRET_ACCESS_KEY_CONFIG),
                    secret(AWS_SESSION_TOKEN_CONFIG),
                    config.getInt(HttpKeys.THREADS_CONFIG)));
  }

  /** Null if it is not set. */
  private String secret(String key) {
    Password secret = config.getPassword(key);
    return secret == null ? null : secret.value();
  }
}
