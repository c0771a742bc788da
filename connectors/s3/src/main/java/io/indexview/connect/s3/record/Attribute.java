package io.indexview.connect.s3.record;

/** What a file record may have that takes a read of the object. */
public enum Attribute {
  USER_METADATA,
  CONTENT_TYPE,
  TAGS
}
