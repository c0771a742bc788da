/** Source connector that turns S3 bucket notifications into change events of file records. */
package io.indexview.connect.s3;
