package io.indexview.local;

import io.indexview.aws.AwsAccess;
import io.indexview.dynamodb.DynamoDbItemStore;
import io.indexview.dynamodb.DynamoDbSettings;
import io.indexview.dynamodb.ItemStore;
import io.indexview.kvstore.KvDurability;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.open.KvStores;
import io.indexview.schemas.Topics;
import java.net.URI;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.sqs.SqsClient;

/** Where the parts of a stack are, whoever runs them, and as whom they are used. */
public interface StackAddresses {
  /** {@code host:port} of the broker. */
  String bootstrapServers();

  /** Base URL of the registry's Confluent API. */
  URI registryUrl();

  /** REST client of the Connect worker. */
  ConnectClient connect();

  /** The KV store's address for connectors. */
  String kvStoreUri();

  AwsAccess s3();

  AwsAccess sqs();

  AwsAccess dynamoDb();

  /** The bucket whose notifications go to the queue. */
  String bucket();

  /** URL of the queue that gets the bucket's notifications. */
  URI queueUrl();

  /** Names of the topics. */
  Topics topics();

  /** Opens the KV store; to be closed. */
  default KvStore openKvStore() {
    KvStoreConfig config = KvStoreConfig.of(kvStoreUri());
    return KvStores.open(config.withDurability(KvDurability.WRITE_NO_SYNC));
  }

  /** Opens a client of the bucket's server; to be closed. */
  default S3Client openS3() {
    return StandInClients.s3(s3());
  }

  /** Opens the DynamoDB tables; to be closed. */
  default ItemStore openItemStore() {
    return DynamoDbItemStore.open(new DynamoDbSettings(dynamoDb(), 16));
  }

  /** Messages in the queue of the bucket's notifications, those in flight included. */
  default long queuedNotifications() {
    try (SqsClient client = StandInClients.sqs(sqs())) {
      return SqsPart.messages(client, queueUrl());
    }
  }
}
