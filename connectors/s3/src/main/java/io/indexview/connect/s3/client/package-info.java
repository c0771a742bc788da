/** How clients of the AWS SDK are built. */
package io.indexview.connect.s3.client;
