package io.indexview.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.gaul.s3proxy.blobstore.domain.MultipartUpload;
import org.gaul.s3proxy.nio2blob.TransientNio2BlobStore;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.services.s3.model.CompleteMultipartUploadRequest;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.CopyObjectRequest;
import software.amazon.awssdk.services.s3.model.CreateMultipartUploadRequest;
import software.amazon.awssdk.services.s3.model.Delete;
import software.amazon.awssdk.services.s3.model.DeleteObjectRequest;
import software.amazon.awssdk.services.s3.model.DeleteObjectsRequest;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.UploadPartRequest;
import software.amazon.awssdk.services.s3.model.UploadPartResponse;

class NotifyingBlobStoreTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String BUCKET = "files";

  @TempDir Path directory;

  private final Queue<String> messages = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean queueDown = new AtomicBoolean();
  private NotifyingBlobStore store;

  @BeforeEach
  void open() throws IOException {
    store =
        new NotifyingBlobStore(
            new TransientNio2BlobStore(),
            BUCKET,
            "us-east-1",
            directory.resolve("seq"),
            this::send);
    store.createContainer(BUCKET);
    store.createContainer("others");
  }

  private void send(String message) {
    if (queueDown.get()) {
      throw new IllegalStateException("queue down");
    }
    messages.add(message);
  }

  @Test
  void tellsEachChangeWhenItHasHappened() throws IOException {
    put(BUCKET, "a", "one");
    store.copyBlob(
        CopyObjectRequest.builder()
            .sourceBucket(BUCKET)
            .sourceKey("a")
            .destinationBucket(BUCKET)
            .destinationKey("b")
            .build());
    store.removeBlob(DeleteObjectRequest.builder().bucket(BUCKET).key("a").build());

    assertThat(notified("/eventName"))
        .containsExactly("ObjectCreated:Put", "ObjectCreated:Copy", "ObjectRemoved:Delete");
    assertThat(notified("/s3/object/key")).containsExactly("a", "b", "a");
    assertThat(notified("/s3/object/size")).containsExactly("3", "3", "");
    assertThat(notified("/s3/object/sequencer")).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void tellsTheWholeSizeWhenAMultipartUploadCompletes() throws IOException {
    MultipartUpload upload =
        store.initiateMultipartUpload(
            CreateMultipartUploadRequest.builder().bucket(BUCKET).key("big").build());
    List<CompletedPart> parts = new ArrayList<>();
    for (int number = 1; number <= 2; number++) {
      UploadPartResponse part =
          store.uploadMultipartPart(
              upload,
              UploadPartRequest.builder()
                  .bucket(BUCKET)
                  .key("big")
                  .partNumber(number)
                  .contentLength(5L)
                  .build(),
              bytes("12345"));
      parts.add(CompletedPart.builder().partNumber(number).eTag(part.eTag()).build());
    }
    assertThat(messages).isEmpty();

    store.completeMultipartUpload(
        upload,
        CompleteMultipartUploadRequest.builder()
            .bucket(BUCKET)
            .key("big")
            .multipartUpload(completed -> completed.parts(parts))
            .build());

    assertThat(notified("/eventName")).containsExactly("ObjectCreated:CompleteMultipartUpload");
    assertThat(notified("/s3/object/size")).containsExactly("10");
  }

  @Test
  void tellsEveryKeyWhenSeveralAreRemovedAtOnce() throws IOException {
    put(BUCKET, "a", "1");
    put(BUCKET, "b", "2");
    messages.clear();

    store.removeBlobs(
        DeleteObjectsRequest.builder()
            .bucket(BUCKET)
            .delete(Delete.builder().objects(identifier("a"), identifier("b")).build())
            .build());

    assertThat(notified("/eventName")).containsOnly("ObjectRemoved:Delete");
    assertThat(notified("/s3/object/key")).containsExactlyInAnyOrder("a", "b");
  }

  @Test
  void tellsNothingWhenTheChangeIsNotTheBuckets() throws IOException {
    put("others", "a", "1");
    put(BUCKET, ".s3proxy-mpu-stub-1", "1");

    assertThat(messages).isEmpty();
  }

  @Test
  void tellsNothingWhenTheChangeFails() {
    assertThatThrownBy(
            () ->
                store.copyBlob(
                    CopyObjectRequest.builder()
                        .sourceBucket(BUCKET)
                        .sourceKey("absent")
                        .destinationBucket(BUCKET)
                        .destinationKey("b")
                        .build()))
        .isInstanceOf(RuntimeException.class);

    assertThat(messages).isEmpty();
  }

  @Test
  void failsTheChangeWhenNobodyCanBeNotified() throws IOException {
    queueDown.set(true);

    assertThatThrownBy(() -> put(BUCKET, "a", "1")).hasMessage("queue down");

    queueDown.set(false);
    put(BUCKET, "a", "1");
    assertThat(notified("/s3/object/key")).containsExactly("a");
  }

  @Test
  void tellsTheLastContentLastWhenOneObjectIsWrittenByManyAtOnce() throws Exception {
    int writers = 8;
    ExecutorService pool = Executors.newFixedThreadPool(writers);
    try {
      List<Callable<Void>> puts = new ArrayList<>();
      for (int i = 1; i <= 100; i++) {
        String content = "x".repeat(i);
        puts.add(
            () -> {
              put(BUCKET, "hot", content);
              return null;
            });
      }
      for (Future<Void> put : pool.invokeAll(puts)) {
        put.get();
      }
    } finally {
      pool.shutdownNow();
    }

    List<String> sizes = notified("/s3/object/size");
    assertThat(notified("/s3/object/sequencer")).hasSize(100).isSorted();
    assertThat(sizes.get(sizes.size() - 1))
        .isEqualTo(Long.toString(store.blobMetadata(BUCKET, "hot").contentLength()));
    assertThat(sizes).doesNotHaveDuplicates();
  }

  private void put(String bucket, String key, String content) {
    store.putBlob(
        PutObjectRequest.builder()
            .bucket(bucket)
            .key(key)
            .contentLength((long) content.length())
            .build(),
        bytes(content));
  }

  private static ByteArrayInputStream bytes(String content) {
    return new ByteArrayInputStream(content.getBytes(StandardCharsets.UTF_8));
  }

  private static ObjectIdentifier identifier(String key) {
    return ObjectIdentifier.builder().key(key).build();
  }

  private List<String> notified(String pointer) throws IOException {
    List<String> values = new ArrayList<>();
    for (String message : messages) {
      JsonNode record = JSON.readTree(message).path("Records").path(0);
      values.add(record.at(pointer).asText());
    }
    return values;
  }
}
