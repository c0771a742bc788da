package io.indexview.connect.s3.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.connect.s3.AwsTestConfig;
import io.indexview.connect.s3.client.AwsClients;
import io.indexview.connect.s3.client.AwsRequestException;
import io.indexview.connect.s3.object.ObjectInfo.ObjectAttributes;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.gaul.s3proxy.S3Proxy;
import org.gaul.s3proxy.auth.AuthenticationType;
import org.gaul.s3proxy.nio2blob.FilesystemNio2BlobStore;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.async.AsyncRequestBody;
import software.amazon.awssdk.services.s3.S3AsyncClient;

class S3ObjectStoreIT {
  private static final String BUCKET = "documents";
  private static final int OBJECTS = 1_003;

  @TempDir private static Path directory;
  private static S3Proxy server;
  private static S3ObjectStore store;

  @BeforeAll
  static void startServer() throws Exception {
    FilesystemNio2BlobStore files = new FilesystemNio2BlobStore(directory.toString());
    files.createContainer(BUCKET);
    server =
        S3Proxy.builder()
            .blobStore(files)
            .endpoint(URI.create("http://127.0.0.1:0"))
            .awsAuthentication(
                AuthenticationType.AWS_V2_OR_V4, AwsTestConfig.ACCESS_KEY, AwsTestConfig.SECRET_KEY)
            .ignoreUnknownHeaders(true)
            .build();
    server.start();
    URI endpoint = URI.create("http://127.0.0.1:" + server.getPort());
    S3AsyncClient client = AwsClients.s3(AwsTestConfig.access(endpoint), 2);
    store = new S3ObjectStore(client, false);
    client
        .putObject(
            r ->
                r.bucket(BUCKET)
                    .key("a b+c/ü.txt")
                    .contentType("text/plain")
                    .metadata(Map.of("project", "x")),
            AsyncRequestBody.fromString("content"))
        .join();
    for (int i = 1; i < OBJECTS; i++) {
      Files.createFile(directory.resolve(BUCKET).resolve("file-" + i));
    }
  }

  @AfterAll
  static void stopServer() throws Exception {
    store.close();
    server.stop();
  }

  @Test
  void looksAtOneObject() {
    ObjectInfo found = store.head(BUCKET, "a b+c/ü.txt").orElseThrow();

    assertThat(found.key()).isEqualTo("a b+c/ü.txt");
    assertThat(found.size()).isEqualTo(7);
    assertThat(found.eTag()).matches("[0-9a-f]{32}");
    assertThat(found.lastModified()).isBetween(Instant.EPOCH, Instant.now().plusSeconds(60));
    assertThat(found.attributes())
        .isEqualTo(new ObjectAttributes("text/plain", Map.of("project", "x"), Map.of()));
    assertThat(store.head(BUCKET, "missing")).isEmpty();
  }

  @Test
  void listsEveryObjectOnceOverSeveralPages() {
    List<String> keys = new ArrayList<>();
    int pages = 0;
    ObjectStore.Page page;
    do {
      page = store.listAfter(BUCKET, keys.isEmpty() ? null : keys.get(keys.size() - 1));
      page.objects().forEach(object -> keys.add(object.key()));
      pages++;
    } while (!page.isLast());

    assertThat(pages).isGreaterThan(1);
    assertThat(keys).doesNotHaveDuplicates().hasSize(OBJECTS).contains("a b+c/ü.txt", "file-7");
  }

  @Test
  void saysWhetherAKeyIsListed() {
    assertThat(store.isListed(BUCKET, "file-7")).isTrue();
    assertThat(store.isListed(BUCKET, "a b+c/ü.txt")).isTrue();
    assertThat(store.isListed(BUCKET, "file-")).as("others begin so").isFalse();
    assertThat(store.isListed(BUCKET, "missing")).isFalse();
  }

  @Test
  void saysThatAMissingBucketNeedsSomebody() {
    assertThatThrownBy(() -> store.listAfter("missing", null))
        .isInstanceOf(AwsRequestException.Permanent.class)
        .hasMessageContaining("missing");
  }

  @Test
  void saysThatAServerOutOfReachMayComeBack() {
    try (S3ObjectStore unreachable =
        new S3ObjectStore(
            AwsClients.s3(AwsTestConfig.access(URI.create("http://127.0.0.1:1")), 2), false)) {
      assertThatThrownBy(() -> unreachable.head(BUCKET, "a"))
          .isInstanceOf(AwsRequestException.Unavailable.class);
    }
  }
}
