/** File records, and the change events and source states that carry them to Kafka. */
package io.indexview.connect.s3.record;
