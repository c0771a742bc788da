package io.indexview.local.s3;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.UUID;

/** Writes notifications in the message structure of S3, version 2.1. */
final class EventJson {
  private static final String OWNER = "local";

  private final String region;

  EventJson(String region) {
    this.region = region;
  }

  String write(ObjectEvent event) {
    ObjectNode message = JsonNodeFactory.instance.objectNode();
    ObjectNode record = message.putArray("Records").addObject();
    record.put("eventVersion", "2.1");
    record.put("eventSource", "aws:s3");
    record.put("awsRegion", region);
    record.put("eventTime", ObjectEvent.formatted(event.time()));
    record.put("eventName", event.name());
    record.putObject("userIdentity").put("principalId", OWNER);
    record.putObject("requestParameters").put("sourceIPAddress", "127.0.0.1");
    record.putObject("responseElements").put("x-amz-request-id", UUID.randomUUID().toString());
    ObjectNode s3 = record.putObject("s3");
    s3.put("s3SchemaVersion", "1.0");
    s3.put("configurationId", "indexview");
    ObjectNode bucket = s3.putObject("bucket");
    bucket.put("name", event.bucket());
    bucket.putObject("ownerIdentity").put("principalId", OWNER);
    bucket.put("arn", "arn:aws:s3:::" + event.bucket());
    ObjectNode object = s3.putObject("object");
    object.put("key", ObjectEvent.encodedKey(event.key()));
    event
        .content()
        .ifPresent(content -> object.put("size", content.size()).put("eTag", content.eTag()));
    object.put("sequencer", event.sequencer());
    return message.toString();
  }
}
