package io.indexview.local;

/** The parts of a local stack, in the order in which they are listed to the user. */
public enum PartName {
  BROKER("broker"),
  REGISTRY("registry"),
  CONNECT("connect"),
  DYNAMODB("dynamodb"),
  SQS("sqs"),
  S3("s3"),
  KV_STORE("kvstore");

  private final String label;

  PartName(String label) {
    this.label = label;
  }

  /** How messages, files and options call the part. */
  public String label() {
    return label;
  }

  @Override
  public String toString() {
    return label;
  }
}
