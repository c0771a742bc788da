/** What every connector to AWS, or to something that speaks its APIs, is configured with. */
package io.indexview.connect.common.aws;
