package io.indexview.demo;

import io.indexview.aws.AwsAccess;
import io.indexview.local.ConnectClient;
import io.indexview.local.StackAddresses;
import io.indexview.local.StackConfig;
import io.indexview.schemas.Topics;
import java.io.IOException;
import java.io.Reader;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeSet;

/** A stack that somebody else runs, as a properties file tells it. */
final class DeployedStack implements StackAddresses {
  private static final String BOOTSTRAP_SERVERS = "bootstrap.servers";
  private static final String REGISTRY = "schema.registry.url";
  private static final String CONNECT = "connect.url";
  private static final String KV_STORE = "kvstore.uri";
  private static final String S3 = "s3.endpoint";
  private static final String SQS = "sqs.endpoint";
  private static final String QUEUE = "sqs.queue.url";
  private static final String DYNAMODB = "dynamodb.endpoint";
  private static final String REGION = "aws.region";
  private static final String ACCESS_KEY = "aws.access.key.id";
  private static final String SECRET_KEY = "aws.secret.access.key";
  private static final String TOPIC_PREFIX = "topic.prefix";
  private static final String BUCKET = "s3.buckets";

  private static final List<String> REQUIRED =
      List.of(
          BOOTSTRAP_SERVERS,
          REGISTRY,
          CONNECT,
          KV_STORE,
          S3,
          SQS,
          QUEUE,
          DYNAMODB,
          REGION,
          ACCESS_KEY,
          SECRET_KEY);

  private static final List<String> URLS = List.of(REGISTRY, CONNECT, S3, SQS, QUEUE, DYNAMODB);

  private static final Map<String, String> DEFAULTS =
      Map.of(TOPIC_PREFIX, Topics.DEFAULT_PREFIX, BUCKET, StackConfig.DEFAULT_BUCKET);

  private final Properties values;

  private DeployedStack(Properties values) {
    this.values = values;
  }

  /**
   * Reads a file.
   *
   * @throws InputException with everything that is wrong with it, a line each
   */
  static DeployedStack read(Path file) {
    Properties values = new Properties();
    values.putAll(DEFAULTS);
    try (Reader text = Files.newBufferedReader(file)) {
      values.load(text);
    } catch (IOException | IllegalArgumentException e) {
      throw new InputException("--stack %s: cannot be read: %s".formatted(file, e), e);
    }
    List<String> problems = new ArrayList<>();
    for (String key : REQUIRED) {
      if (values.getProperty(key, "").isBlank()) {
        problems.add(key + " is missing; add it");
      }
    }
    for (String key : new TreeSet<>(values.stringPropertyNames())) {
      if (!REQUIRED.contains(key) && !DEFAULTS.containsKey(key)) {
        problems.add(key + " is no key; take it out");
      } else if (URLS.contains(key) && !isUrl(values.getProperty(key))) {
        problems.add(
            "%s=%s is no address; write http://HOST:PORT".formatted(key, values.getProperty(key)));
      }
    }
    if (!problems.isEmpty()) {
      String each = System.lineSeparator() + "  ";
      throw new InputException(
          "--stack %s:%s%s".formatted(file, each, String.join(each, problems)), null);
    }
    return new DeployedStack(values);
  }

  private static boolean isUrl(String text) {
    try {
      return URI.create(text).getHost() != null;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  @Override
  public String bootstrapServers() {
    return values.getProperty(BOOTSTRAP_SERVERS);
  }

  @Override
  public URI registryUrl() {
    return url(REGISTRY);
  }

  @Override
  public ConnectClient connect() {
    return new ConnectClient(url(CONNECT));
  }

  @Override
  public String kvStoreUri() {
    return values.getProperty(KV_STORE);
  }

  @Override
  public AwsAccess s3() {
    return access(S3);
  }

  @Override
  public AwsAccess sqs() {
    return access(SQS);
  }

  @Override
  public AwsAccess dynamoDb() {
    return access(DYNAMODB);
  }

  @Override
  public String bucket() {
    return values.getProperty(BUCKET);
  }

  @Override
  public URI queueUrl() {
    return url(QUEUE);
  }

  @Override
  public Topics topics() {
    return new Topics(values.getProperty(TOPIC_PREFIX));
  }

  private URI url(String key) {
    return URI.create(values.getProperty(key));
  }

  private AwsAccess access(String endpoint) {
    return new AwsAccess(
        values.getProperty(REGION),
        url(endpoint),
        values.getProperty(ACCESS_KEY),
        values.getProperty(SECRET_KEY),
        null);
  }
}
