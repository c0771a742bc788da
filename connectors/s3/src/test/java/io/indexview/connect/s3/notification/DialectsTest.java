package io.indexview.connect.s3.notification;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.s3.notification.ObjectEvent.Kind;
import io.indexview.connect.s3.notification.S3NotificationParser.MalformedNotificationException;
import io.indexview.connect.s3.notification.S3NotificationParser.Notification;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Notifications as the makers of S3 and of its likes document them. */
class DialectsTest {
  /** Ceph documentation, "Bucket Notifications", "Event record". */
  private static final String CEPH =
      """
      {"Records":[{
        "eventVersion":"2.1",
        "eventSource":"ceph:s3",
        "awsRegion":"us-east-1",
        "eventTime":"2019-11-22T13:47:35.124724Z",
        "eventName":"ObjectCreated:Put",
        "userIdentity":{"principalId":"tester"},
        "requestParameters":{"sourceIPAddress":""},
        "responseElements":{
          "x-amz-request-id":"503a4c37-85eb-47cd-8681-2817e80b4281.5330.903595",
          "x-amz-id-2":"14d2-zone1-zonegroup1"},
        "s3":{
          "s3SchemaVersion":"1.0",
          "configurationId":"mynotif1",
          "bucket":{
            "name":"mybucket1",
            "ownerIdentity":{"principalId":"tester"},
            "arn":"arn:aws:s3:us-east-1::mybucket1",
            "id":"503a4c37-85eb-47cd-8681-2817e80b4281.5332.38"},
          "object":{
            "key":"my+image%201.jpg",
            "size":"1024",
            "eTag":"37b51d194a7513e45b56f6524f2d51f2",
            "versionId":"",
            "sequencer":"F7E6D75DC742D108",
            "metadata":[],
            "tags":[]}},
        "eventId":"",
        "opaqueData":"me@example.com"}]}
      """;

  /** MinIO's own fields beside those of S3, as in its documentation of bucket notifications. */
  private static final String MINIO =
      """
      {"EventName":"s3:ObjectCreated:Put",
       "Key":"documents/2019/hello world.jpg",
       "Records":[{
        "eventVersion":"2.0",
        "eventSource":"minio:s3",
        "awsRegion":"",
        "eventTime":"2019-10-22T09:27:27Z",
        "eventName":"s3:ObjectCreated:Put",
        "userIdentity":{"principalId":"AKIAIOSFODNN7EXAMPLE"},
        "requestParameters":{
          "accessKey":"AKIAIOSFODNN7EXAMPLE","region":"","sourceIPAddress":"172.16.118.255"},
        "responseElements":{
          "x-amz-request-id":"15CFEDF8D4736ED9",
          "x-minio-origin-endpoint":"http://172.17.0.2:9000"},
        "s3":{
          "s3SchemaVersion":"1.0",
          "configurationId":"Config",
          "bucket":{
            "name":"documents",
            "ownerIdentity":{"principalId":"AKIAIOSFODNN7EXAMPLE"},
            "arn":"arn:aws:s3:::documents"},
          "object":{
            "key":"2019%2Fhello+world.jpg",
            "size":224662,
            "eTag":"5fc7298143efe1276d39a3466d4e255f-1",
            "contentType":"image/jpeg",
            "userMetadata":{"content-type":"image/jpeg"},
            "versionId":"1",
            "sequencer":"15CFEDF8D5304D1A"}},
        "source":{"host":"172.16.118.255","port":"","userAgent":"Mozilla/5.0"}}]}
      """;

  /** Amazon S3 user guide, "Event message structure" and "Supported event types". */
  private static final String RESTORED =
      """
      {"Records":[{
        "eventVersion":"2.1","eventSource":"aws:s3","awsRegion":"us-west-2",
        "eventTime":"1970-01-01T00:00:00.000Z","eventName":"ObjectRestore:Completed",
        "s3":{"s3SchemaVersion":"1.0","configurationId":"testConfigRule",
          "bucket":{"name":"documents","arn":"arn:aws:s3:::documents"},
          "object":{"key":"a.txt","size":1024,"eTag":"d41d8cd98f00b204e9800998ecf8427e"}},
        "glacierEventData":{"restoreEventData":{
          "lifecycleRestorationExpiryTime":"1970-01-01T00:01:00.000Z",
          "lifecycleRestoreStorageClass":"GLACIER"}}}]}
      """;

  private static ObjectEvent only(S3NotificationParser parser, String body)
      throws MalformedNotificationException {
    Notification notification = parser.parse(body);
    assertThat(notification.unknownTypes()).isEmpty();
    assertThat(notification.events()).hasSize(1);
    return notification.events().get(0);
  }

  @Test
  void readsCephsSizesAsTextItsKeysAsTheyAreAndItsSequencersAsTimes()
      throws MalformedNotificationException {
    assertThat(only(new S3NotificationParser(), CEPH))
        .isEqualTo(
            new ObjectEvent(
                Kind.CREATED,
                "ObjectCreated:Put",
                "mybucket1",
                "my+image%201.jpg",
                1024L,
                "37b51d194a7513e45b56f6524f2d51f2",
                null,
                "5DD7E6F708D142C7",
                Instant.parse("2019-11-22T13:47:35.124724Z")));
  }

  @ParameterizedTest
  @CsvSource({"Current", "NonCurrent", "DeleteMarker"})
  void looksWhatCephsExpirationsLeft(String what) throws MalformedNotificationException {
    String expired = CEPH.replace("ObjectCreated:Put", "ObjectLifecycle:Expiration:" + what);

    assertThat(only(new S3NotificationParser(), expired).kind()).isEqualTo(Kind.VERSION_REMOVED);
  }

  @Test
  void skipsCephsAbortedUploads() throws MalformedNotificationException {
    String type = "ObjectLifecycle:Expiration:AbortMultipartUpload";

    assertThat(new S3NotificationParser().parse(CEPH.replace("ObjectCreated:Put", type)))
        .isEqualTo(new Notification(List.of(), List.of(type)));
  }

  @Test
  void readsMinio() throws MalformedNotificationException {
    assertThat(only(new S3NotificationParser(), MINIO))
        .isEqualTo(
            new ObjectEvent(
                Kind.CREATED,
                "ObjectCreated:Put",
                "documents",
                "2019/hello world.jpg",
                224662L,
                "5fc7298143efe1276d39a3466d4e255f-1",
                "1",
                "15CFEDF8D5304D1A",
                Instant.parse("2019-10-22T09:27:27Z")));
  }

  /** They carry the sequencer of the content, and perhaps of a version that is not current. */
  @ParameterizedTest
  @CsvSource({"PutTagging", "DeleteTagging", "PutRetention", "PutLegalHold"})
  void takesNoChangeBesideTheContentForNewContent(String what)
      throws MalformedNotificationException {
    String type = "ObjectCreated:" + what;
    String changed = MINIO.replace("ObjectCreated:Put", type);

    assertThat(new S3NotificationParser().parse(changed))
        .isEqualTo(new Notification(List.of(), List.of(type)));
    ObjectEvent asked = only(new S3NotificationParser(true, List.of("ObjectCreated:")), changed);
    assertThat(asked.kind()).isEqualTo(Kind.TOUCHED);
    assertThat(asked.sequencer()).isNull();
  }

  @ParameterizedTest
  @CsvSource({"Put", "Post", "Copy", "CompleteMultipartUpload", "WhateverComesNext"})
  void takesEachWayOfWritingForNewContent(String what) throws MalformedNotificationException {
    String created = MINIO.replace("ObjectCreated:Put", "ObjectCreated:" + what);

    assertThat(only(new S3NotificationParser(), created).kind()).isEqualTo(Kind.CREATED);
  }

  @ParameterizedTest
  @CsvSource({
    "Delete,               ,  REMOVED",
    "Delete,               1, VERSION_REMOVED",
    "DeleteMarkerCreated,  1, REMOVED",
    "DeleteAllVersions,    ,  REMOVED",
    "DeleteAllVersions,    1, VERSION_REMOVED",
    "NoOP,                 ,  REMOVED",
  })
  void readsMiniosRemovals(String what, String version, Kind kind)
      throws MalformedNotificationException {
    String removed =
        MINIO
            .replace("ObjectCreated:Put", "ObjectRemoved:" + what)
            .replace(
                "\"versionId\":\"1\"",
                "\"versionId\":\"" + (version == null ? "" : version) + "\"");

    ObjectEvent event = only(new S3NotificationParser(), removed);
    assertThat(event.kind()).isEqualTo(kind);
    assertThat(event.sequencer()).isEqualTo("15CFEDF8D5304D1A");
  }

  @ParameterizedTest
  @CsvSource({
    "Delete,              ,  REMOVED",
    "Delete,              v, VERSION_REMOVED",
    "DeleteMarkerCreated, v, REMOVED",
  })
  void readsCephsRemovals(String what, String version, Kind kind)
      throws MalformedNotificationException {
    String removed =
        CEPH.replace("ObjectCreated:Put", "ObjectRemoved:" + what)
            .replace(
                "\"versionId\":\"\"", "\"versionId\":\"" + (version == null ? "" : version) + "\"");

    assertThat(only(new S3NotificationParser(), removed).kind()).isEqualTo(kind);
  }

  /** All that a zone of Ceph tells that only synchronizes. */
  @Test
  void looksAtWhatCephSynchronizedWhenAsked() throws MalformedNotificationException {
    String synced = CEPH.replace("ObjectCreated:Put", "ObjectSynced:Create");

    assertThat(new S3NotificationParser().parse(synced).unknownTypes())
        .containsExactly("ObjectSynced:Create");
    ObjectEvent asked = only(new S3NotificationParser(true, List.of("ObjectSynced")), synced);
    assertThat(asked.kind()).isEqualTo(Kind.TOUCHED);
    assertThat(asked.sequencer()).isNull();
  }

  @Test
  void countsMiniosExpiredDeleteMarkers() throws MalformedNotificationException {
    String type = "LifecycleDelMarkerExpiration:Delete";

    assertThat(new S3NotificationParser().parse(MINIO.replace("ObjectCreated:Put", type)))
        .isEqualTo(new Notification(List.of(), List.of(type)));
  }

  @Test
  void trustsNoSequencerWhenItShallNot() throws MalformedNotificationException {
    S3NotificationParser parser = new S3NotificationParser(false, List.of());

    assertThat(only(parser, MINIO).sequencer()).isNull();
    assertThat(only(parser, CEPH).sequencer()).isNull();
  }

  @Test
  void looksAtRestoredObjectsOnlyWhenAsked() throws MalformedNotificationException {
    assertThat(new S3NotificationParser().parse(RESTORED))
        .isEqualTo(new Notification(List.of(), List.of("ObjectRestore:Completed")));

    ObjectEvent asked =
        only(new S3NotificationParser(true, List.of("ObjectRestore:Completed")), RESTORED);
    assertThat(asked.kind()).isEqualTo(Kind.TOUCHED);
    assertThat(asked.sequencer()).isNull();
  }
}
