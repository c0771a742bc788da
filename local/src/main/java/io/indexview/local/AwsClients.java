package io.indexview.local;

import java.net.URI;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.sqs.SqsClient;

/** Clients for the local stand-ins of AWS services, with the account that they accept. */
final class AwsClients {
  private AwsClients() {}

  static SqsClient sqs(URI endpoint) {
    return SqsClient.builder()
        .endpointOverride(endpoint)
        .region(Region.of(StackConfig.REGION))
        .credentialsProvider(credentials())
        .httpClientBuilder(UrlConnectionHttpClient.builder())
        .build();
  }

  static S3Client s3(URI endpoint) {
    return S3Client.builder()
        .endpointOverride(endpoint)
        .forcePathStyle(true)
        .region(Region.of(StackConfig.REGION))
        .credentialsProvider(credentials())
        .httpClientBuilder(UrlConnectionHttpClient.builder())
        .build();
  }

  static DynamoDbClient dynamoDb(URI endpoint) {
    return DynamoDbClient.builder()
        .endpointOverride(endpoint)
        .region(Region.of(StackConfig.REGION))
        .credentialsProvider(credentials())
        .httpClientBuilder(UrlConnectionHttpClient.builder())
        .build();
  }

  private static StaticCredentialsProvider credentials() {
    return StaticCredentialsProvider.create(
        AwsBasicCredentials.create(StackConfig.ACCESS_KEY, StackConfig.SECRET_KEY));
  }
}
