package io.indexview.local;

import io.indexview.aws.AwsAccess;
import java.net.URI;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.sqs.SqsClient;

/** Clients for stand-ins of AWS services. */
final class StandInClients {
  private StandInClients() {}

  static SqsClient sqs(URI endpoint) {
    return sqs(access(endpoint));
  }

  static SqsClient sqs(AwsAccess access) {
    return access
        .configure(SqsClient.builder())
        .httpClientBuilder(UrlConnectionHttpClient.builder())
        .build();
  }

  static S3Client s3(AwsAccess access) {
    return access
        .configure(S3Client.builder())
        .forcePathStyle(true)
        .httpClientBuilder(UrlConnectionHttpClient.builder())
        .build();
  }

  static DynamoDbClient dynamoDb(URI endpoint) {
    return access(endpoint)
        .configure(DynamoDbClient.builder())
        .httpClientBuilder(UrlConnectionHttpClient.builder())
        .build();
  }

  /** Access with the account that the stack accepts. */
  static AwsAccess access(URI endpoint) {
    return new AwsAccess(
        StackConfig.REGION, endpoint, StackConfig.ACCESS_KEY, StackConfig.SECRET_KEY, null);
  }
}
